import { HELLO, hang, say } from './right.mjs';

say(HELLO);
await hang();
