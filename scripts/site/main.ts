/**
 * Builds the site: `node dist/scripts/site/main.js [--out FOLDER] [--reports FOLDER]`.
 *
 * @module
 */
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/suite/package-root.ts';
import { buildSite } from './build.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: packagePath('dist/site') },
    /** Where JSON-lines reports of published SDKs are; without it, their results come from RESULTS.md. */
    reports: { type: 'string' },
  },
});

const { pages, bytes, seconds } = await buildSite(values.out, values.reports);
const size = (bytes / 1e6).toFixed(1);
console.log(`${values.out}: ${pages} pages, ${size} MB, in ${seconds.toFixed(1)} s`);
