"""Jobs from intake to completion: worker, runs, commands, checkpoints."""
