/**
 * The number of failures, which every format counts in the same way.
 *
 * @module
 */
import { formatCount } from '../excerpt.ts';
import { isForgedFailure } from '../judge/summary.ts';
import type { NotRun, Report, SubjectKind } from './report.ts';

/** What fails a run. */
interface FailureCounts {
  /** Of a client, requests. */
  readonly vectors: number;
  readonly forged: number;
  readonly fresh: number;
  readonly stale: number;
}

function countKinds(reports: readonly (Report | NotRun)[]): FailureCounts {
  const counts = { vectors: 0, forged: 0, fresh: 0, stale: 0 };
  for (const report of reports) {
    if ('notRun' in report) continue;
    counts.vectors += report.failures.length;
    counts.forged += report.forged.filter(isForgedFailure).length;
    counts.fresh += report.freshFailures.length;
    counts.stale += report.stale.length;
  }
  return counts;
}

/** All failures: vectors, forged requests, questions on fresh data and stale expectations. */
export function countFailures(reports: readonly (Report | NotRun)[]): number {
  const { vectors, forged, fresh, stale } = countKinds(reports);
  return vectors + forged + fresh + stale;
}

/** `81 (71 vectors, 10 forged requests)`; without the sum if only things of one kind fail. */
export function describeFailures(reports: readonly (Report | NotRun)[], kind: SubjectKind): string {
  const { vectors, forged, fresh, stale } = countKinds(reports);
  const kinds = [
    [vectors, kind === 'client' ? 'request' : 'vector'],
    [forged, 'forged request'],
    [fresh, 'vector on fresh data', 'vectors on fresh data'],
    [stale, 'stale expectation'],
  ] as const;
  const parts = kinds
    .filter(([count]) => count > 0)
    .map(([count, one, several]) => formatCount(count, one, several));
  const list = parts.join(', ');
  return parts.length > 1 ? `${countFailures(reports)} (${list})` : list;
}
