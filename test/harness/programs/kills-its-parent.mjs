import { questions } from './right.mjs';

for await (const _ of questions()) process.kill(process.ppid, 'SIGKILL');
