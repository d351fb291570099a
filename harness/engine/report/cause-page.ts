/**
 * The page of a cause on the site.
 *
 * @module
 */
import { withoutCondition } from '../expectations/names.ts';
import type { Suite } from '../vector.ts';

/** The address of the page of a cause, relative to the site: a generated mistake is an anchor on the page of its place. */
export function causeAddress(id: string): string {
  const name = withoutCondition(id);
  const slash = name.indexOf('/');
  return slash < 0
    ? `/mistakes/${name}/`
    : `/mistakes/${name.slice(0, slash)}/#${name.slice(slash + 1)}`;
}

/** Where a reader finds the page of a cause: its address, or the command that opens it if the package names no site. */
export function causePage(id: string, { site }: Pick<Suite, 'site'>): string {
  return site === undefined ? `svc-conformance docs ${id}` : site + causeAddress(id).slice(1);
}
