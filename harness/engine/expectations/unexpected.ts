/**
 * What is left of a diagnosis without the expected failures.
 *
 * @module
 */
import type { Diagnosis } from '../diagnosis/diagnose.ts';
import { type Run, UNEXPLAINED } from '../judge/outcome.ts';

/** Drops the expected failures from a diagnosis. */
export function filterUnexpected(found: Diagnosis, run: Run): Diagnosis {
  const causes = found.causes
    .map((cause) => {
      const names = [cause.mistake, ...cause.others].map(({ id }) => id);
      return { ...cause, explains: filterUnexpectedIds(cause.explains, names, run) };
    })
    .filter(({ explains }) => explains.length > 0);
  return { causes, unexplained: filterUnexpectedIds(found.unexplained, [UNEXPLAINED], run) };
}

/** Drops the vectors whose failures are expected, for any cause or for one of these names. */
function filterUnexpectedIds(
  ids: readonly string[],
  names: readonly string[],
  { outcomes }: Run,
): readonly string[] {
  const expected = outcomes.filter(
    ({ known, expectedCauses = [] }) =>
      known !== undefined || expectedCauses.some((name) => names.includes(name)),
  );
  const expectedIds = new Set(expected.map(({ vector }) => vector.id));
  return ids.filter((id) => !expectedIds.has(id));
}
