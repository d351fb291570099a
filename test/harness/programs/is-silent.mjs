import { hang } from './right.mjs';

process.stdin.resume();
await hang();
