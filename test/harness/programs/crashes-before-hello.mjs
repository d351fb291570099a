import './right.mjs';

process.stderr.write('ImportError: no module named signing\n');
process.exit(7);
