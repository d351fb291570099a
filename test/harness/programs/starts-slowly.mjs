import { setTimeout } from 'node:timers/promises';
import { questions, rightReply, say, what } from './right.mjs';

await setTimeout(Number(what));
for await (const question of questions()) say(rightReply(question));
