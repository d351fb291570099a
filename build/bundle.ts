/**
 * Writes all vectors as one JSON file, so that no run has to parse YAML.
 *
 * @module
 */
import { writeFileSync } from 'node:fs';
import { BUNDLE } from '../harness/suite/bundle.ts';
import { packagePath } from '../harness/suite/package-root.ts';
import { readSuite } from '../harness/suite/read.ts';

/** Reads and checks `vectors/`; throws a `DataError` with every problem. */
export function writeBundle(): void {
  writeFileSync(packagePath(BUNDLE), inAscii(JSON.stringify(readSuite(packagePath('vectors')))));
}

/** Text of ASCII alone is read and parsed in half the time. */
function inAscii(json: string): string {
  return json.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
