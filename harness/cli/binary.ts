/**
 * The entry point of the binary: runs the command line, or a user's module as an adapter.
 *
 * @module
 */

import { createRequire } from 'node:module';
import { constants, Script } from 'node:vm';
import { isFunction } from '../../reference/values.ts';
import { packagePath, readPackageFile } from '../suite/package-root.ts';
import { MODULE_ADAPTER, RUN_MODULE } from './adapter-options.ts';
import { runProcess } from './process.ts';

if (process.argv[2] === RUN_MODULE) runModule();
else void runProcess();

/** Runs the program for modules, with the `process.argv` that `node module-adapter.cjs MODULE` would have. */
function runModule(): void {
  process.argv.splice(1, 1);
  const path = packagePath(MODULE_ADAPTER);
  const text = readPackageFile(path).toString('utf8');
  // In the binary, import() loads only builtin modules unless this option is set.
  const script = new Script(`(function (require, exports) {${text}\n})`, {
    filename: path,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const run: unknown = script.runInThisContext();
  if (isFunction(run)) run(createRequire(process.execPath), {});
}
