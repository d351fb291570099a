import { hang, questions } from './right.mjs';

for await (const _ of questions()) await hang();
