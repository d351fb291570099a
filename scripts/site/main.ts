/**
 * Builds the site: `node dist/scripts/site/main.js [--out FOLDER] [--packed FILE]`.
 *
 * @module
 */
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/suite/package-root.ts';
import { SITE } from '../../harness/suite/site.ts';
import { buildSite } from './build.ts';
import { writePacked } from './write.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: packagePath('dist/site') },
    /** The file of the package, from which `docs` serves the site. */
    packed: { type: 'string', default: packagePath(SITE) },
  },
});

const { pages, bytes, seconds } = await buildSite(values.out);
const size = (bytes / 1e6).toFixed(1);
console.log(`${values.out}: ${pages} pages, ${size} MB, in ${seconds.toFixed(1)} s`);
const packed = writePacked(values.out, values.packed);
console.log(`${values.packed}: ${(packed / 1e6).toFixed(2)} MB`);
