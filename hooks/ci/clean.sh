LAND
git beads carry --clean
land 'Take out carry files that have arrived'
