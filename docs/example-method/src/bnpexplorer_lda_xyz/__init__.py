"""A method for bnpexplorer: LDA by stochastic steps whose documents are folded in."""
