"""What the libraries and servers under us really do. A test that fails here says what an upgrade has moved."""
