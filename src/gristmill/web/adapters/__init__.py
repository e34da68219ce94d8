"""Players: models of each kind behind one face, that take what JSON can hold and give what JSON can hold."""
