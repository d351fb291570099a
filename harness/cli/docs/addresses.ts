/**
 * The addresses of pages on the site.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATIONS } from '../../../reference/operations.ts';
import { UsageError } from '../../engine/errors.ts';
import { findMistake, listIds } from '../../engine/proof/catalogue.ts';
import { createNoMatchError } from '../../engine/select.ts';
import { listRepositoryAdapters } from '../../respondents/adapter/manifest.ts';
import { bundledSuite } from '../../suite/bundle.ts';

/**
 * The address of the page of an id, with a slash at both ends; a generated mistake is on the page of its place.
 *
 * @throws UsageError with the nearest id, if the id is unknown or the site has no page for it
 */
export function findAddress(id: string, site: string): string {
  const addresses = listAddresses(id);
  const [first] = addresses;
  if (first === undefined) {
    const names = [...Object.keys(OPERATIONS), ...listSdks()];
    throw createNoMatchError('page', id, [...names, ...listIds(bundledSuite())]);
  }
  const found = addresses.find((address) => existsSync(join(site, address, 'index.html')));
  if (found !== undefined) return found;
  throw new UsageError(`the site has no page ${first}; build it anew with \`npm run site\``);
}

function listAddresses(id: string): readonly string[] {
  const { rules, vectors } = bundledSuite();
  const mistake = findMistake(id)?.id;
  const place = mistake?.includes('/') ? mistake.slice(0, mistake.indexOf('/')) : undefined;
  return [
    ...(rules.some((rule) => rule.id === id) ? [`/rules/${id}/`] : []),
    ...(vectors.some((vector) => vector.id === id) ? [`/vectors/${id}/`] : []),
    ...(mistake === undefined ? [] : [`/mistakes/${mistake}/`]),
    ...(place === undefined ? [] : [`/mistakes/${place}/`]),
    ...(Object.hasOwn(OPERATIONS, id) ? [`/operations/${id}/`] : []),
    ...(listSdks().includes(id) ? [`/sdks/${id}/`] : []),
  ];
}

function listSdks(): readonly string[] {
  return listRepositoryAdapters()
    .filter(({ published }) => published)
    .map(({ name }) => name);
}
