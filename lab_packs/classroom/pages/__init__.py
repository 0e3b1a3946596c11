"""What the visitors of a class see, and their teacher."""
