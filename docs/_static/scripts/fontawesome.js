/* empty: the theme's stylesheet draws every icon, and the 1.5 MB that stood here draw nothing more */
