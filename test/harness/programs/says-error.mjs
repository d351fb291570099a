import { questions, say } from './right.mjs';

for await (const { n } of questions()) say({ n, error: 'TypeError: sign is not a function' });
