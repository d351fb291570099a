/**
 * The second half of `npm run build`: what is derived from data, and the programs as people run them.
 *
 * @module
 */
import { writePrograms } from './code.ts';
import { writeValidators } from './validators.ts';

writeValidators();
// The bundle is read with the validators that were just written.
const { writeBundle } = await import('./bundle.ts');
const { writeForgeries } = await import('./forgeries.ts');
const { DataError } = await import('../harness/errors.ts');
// Before the data, which may be wrong: who mends it needs the programs.
await writePrograms();
try {
  writeBundle();
  writeForgeries();
} catch (error) {
  if (!(error instanceof DataError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
