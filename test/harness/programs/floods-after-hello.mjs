import { HELLO, say } from './right.mjs';

say(HELLO);
const write = () => process.stdout.write('still here\n'.repeat(10_000), write);
write();
