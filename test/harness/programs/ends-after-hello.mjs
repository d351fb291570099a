import { HELLO, say } from './right.mjs';

say(HELLO);
