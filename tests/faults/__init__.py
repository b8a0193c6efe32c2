"""Random attacks, one module of trials a kind: hostile files, kills, full disks, strangers."""
