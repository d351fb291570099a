import { writeSync } from 'node:fs';
import { questions, rightReply, say } from './right.mjs';

const MEGABYTE = Buffer.from('a line of log that nobody reads\n'.repeat(32 * 1024));

for await (const question of questions()) {
  for (let rest = MEGABYTE; rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(2, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
  say(rightReply(question));
}
