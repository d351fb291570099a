import { questions, say } from './right.mjs';

for await (const { n, keys } of questions()) say({ n, result: { publicKey: keys.publicKey } });
