"""Everything of one entity: forget, export, import, migrate."""
