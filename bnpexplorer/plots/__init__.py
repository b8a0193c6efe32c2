"""Pictures: published values in, Plotly figures out. One function a picture; no statistics here."""
