"""All data of one entity: forgetting, export, import and migration."""
