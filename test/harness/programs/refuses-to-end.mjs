import { hang, questions, rightReply, say } from './right.mjs';

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
for await (const question of questions()) say(rightReply(question));
await hang();
