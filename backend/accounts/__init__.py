"""Staff: coordinators, researchers, admins, and what each may open."""
