/**
 * The addresses of pages on the site.
 *
 * @module
 */
import { OPERATIONS } from '../../../reference/operations.ts';
import { WRONG_DIALECT } from '../../engine/dialects.ts';
import { UsageError } from '../../engine/errors.ts';
import { findMistake, listIds } from '../../engine/proof/catalogue.ts';
import { causeAddress } from '../../engine/report/cause-page.ts';
import { createNoMatchError } from '../../engine/select.ts';
import { listRepositoryAdapters } from '../../respondents/adapter/manifest.ts';
import { bundledSuite } from '../../suite/bundle.ts';
import type { SiteFiles } from '../../suite/site.ts';

/** Pages that are about everything of a kind. */
const OVERVIEWS = ['spec', 'vectors', 'mistakes', 'results', 'playground', 'guides', 'reference'];

/**
 * The address of the page of an id; a generated mistake is an anchor on the page of its place.
 *
 * @throws UsageError with the nearest id, if the id is unknown or the site has no page for it
 */
export function findAddress(id: string, site: SiteFiles): string {
  const addresses = listAddresses(id);
  const [first] = addresses;
  if (first === undefined) {
    const names = [...Object.keys(OPERATIONS), ...listSdks(), ...OVERVIEWS];
    throw createNoMatchError('page', id, [...names, ...listIds(bundledSuite())]);
  }
  const found = addresses.find((address) => site.has(pageName(address)));
  if (found !== undefined) return found;
  throw new UsageError(`the site has no page ${first}; build it again with \`npm run site\``);
}

/** The name of the file of an address. */
export function pageName(address: string): string {
  const [path = ''] = address.split('#');
  return `${path.slice(1)}index.html`;
}

function listAddresses(id: string): readonly string[] {
  const { rules, vectors } = bundledSuite();
  const cause = findMistake(id)?.id ?? (isOtherCause(id) ? id : undefined);
  return [
    ...(rules.some((rule) => rule.id === id) ? [`/rules/${id}/`] : []),
    ...(vectors.some((vector) => vector.id === id) ? [`/vectors/${id}/`] : []),
    ...(cause === undefined ? [] : [causeAddress(cause)]),
    ...(Object.hasOwn(OPERATIONS, id) ? [`/operations/${id}/`] : []),
    ...(listSdks().includes(id) ? [`/sdks/${id}/`] : []),
    ...(OVERVIEWS.includes(id) ? [`/${id}/`] : []),
  ];
}

/** A cause that is no mistake of the specification. */
const isOtherCause = (id: string): boolean => id === WRONG_DIALECT;

function listSdks(): readonly string[] {
  return listRepositoryAdapters()
    .filter(({ published }) => published)
    .map(({ name }) => name);
}
