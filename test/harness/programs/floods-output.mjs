import { what } from './right.mjs';

const text = (what === 'one line' ? 'y' : 'y\n').repeat(10_000);
const write = () => process.stdout.write(text, write);
write();
