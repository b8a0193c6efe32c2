"""bnpexplorer: see Bayesian nonparametric inference happen."""
