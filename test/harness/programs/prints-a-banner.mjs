import { questions, rightReply, say, what } from './right.mjs';

for (let i = 0; i < Number(what); i++) console.log('Picked up JAVA_TOOL_OPTIONS: -Xmx1g');
for await (const question of questions()) say(rightReply(question));
