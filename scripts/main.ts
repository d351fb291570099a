/**
 * The second half of `npm run build`: validators, programs, CommonJS files, and data.
 *
 * @module
 */
import { DataError } from '../harness/engine/errors.ts';
import { writeCommonJs } from './commonjs.ts';
import { writePrograms } from './programs.ts';
import { writeValidators } from './validators.ts';

writeValidators();
// This module imports the validators that the line above writes.
const { writeData } = await import('./bundle.ts');
// The programs come before the data: if a vector file is wrong, its author needs them to fix it.
await writePrograms();
writeCommonJs();
try {
  writeData();
} catch (error) {
  if (!(error instanceof DataError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
