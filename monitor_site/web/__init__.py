"""The door for people: function views, forms, template tags and the live stream."""
