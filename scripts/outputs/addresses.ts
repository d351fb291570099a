/**
 * The addresses that the site has had: of rules, vectors, mistakes, operations and SDKs.
 *
 * @module
 */

import { OTHER_CAUSES } from '../../harness/engine/other-causes.ts';
import { listRepositoryAdapters } from '../../harness/respondents/adapter/manifest.ts';
import { bundledSuite } from '../../harness/suite/bundle.ts';
import { generatedMistakes, MISTAKES } from '../../reference/mistakes/index.ts';
import { OPERATIONS } from '../../reference/operations.ts';

/** The file of the addresses, one on each line; none is ever removed from it. */
export const ADDRESSES = 'site/addresses.txt';

/** The addresses of a text together with those of today, sorted. */
export function addAddresses(before: string): string {
  const all = new Set([...before.split('\n').filter((line) => line !== ''), ...listAddresses()]);
  return `${[...all].sort().join('\n')}\n`;
}

function listAddresses(): readonly string[] {
  const { rules, vectors } = bundledSuite();
  const places = generatedMistakes().map(({ id }) => id.split('/')[0] ?? '');
  const sdks = listRepositoryAdapters().filter(({ published }) => published);
  return [
    ...rules.map(({ id }) => `/rules/${id}/`),
    ...vectors.map(({ id }) => `/vectors/${id}/`),
    ...[...[...MISTAKES, ...OTHER_CAUSES].map(({ id }) => id), ...places].map(
      (id) => `/mistakes/${id}/`,
    ),
    ...Object.keys(OPERATIONS).map((name) => `/operations/${name}/`),
    ...sdks.map(({ name }) => `/sdks/${name}/`),
  ];
}
