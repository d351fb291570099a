/**
 * The report as JUnit XML, which the common CI services read: a suite for each adapter, a case for each vector.
 *
 * The time of a case is the time that the adapter took for its questions; the time of a suite is their sum.
 *
 * @module
 */
import { type Case, type CaseSuite, listSuites } from './cases.ts';
import { harmless } from './harmless.ts';
import { createReporter, type Reporter } from './reporter.ts';
import { toLines } from './terminal.ts';
import { element, textElement } from './xml.ts';

export function junit(): Reporter {
  return createReporter((results) => {
    const suites = listSuites(results);
    const all = totals(suites.flatMap(({ cases }) => cases));
    const attributes = { name: 'svc-conformance', ...all };
    return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', attributes, suites.map(suiteElement))}`;
  });
}

function suiteElement({ name, seed, cases }: CaseSuite): string {
  const attributes = { name, ...totals(cases), skipped: countEnded(cases, 'skipped') };
  const property = seed !== undefined && element('property', { name: 'seed', value: seed }, []);
  const properties = property && element('properties', {}, [property]);
  return element('testsuite', attributes, toLines(properties, cases.map(caseElement)));
}

function totals(cases: readonly Case[]): Readonly<Record<string, number | string>> {
  return {
    tests: cases.length,
    failures: countEnded(cases, 'failure'),
    errors: countEnded(cases, 'error'),
    time: seconds(cases.reduce((sum, { milliseconds = 0 }) => sum + milliseconds, 0)),
  };
}

/** In seconds. A question takes some microseconds, so three decimals would be 0. */
function seconds(milliseconds = 0): string {
  return (milliseconds / 1000).toFixed(6);
}

function countEnded(cases: readonly Case[], how: Case['end']): number {
  return cases.filter(({ end }) => end === how).length;
}

function caseElement(one: Case): string {
  const { folder, name, end, type, message = '', text = '', milliseconds } = one;
  const attributes = { classname: folder, name, time: seconds(milliseconds) };
  if (end === undefined) return element('testcase', attributes, []);
  const details = { ...(end !== 'skipped' && { type: type ?? end }), message };
  const inside =
    end === 'skipped'
      ? element(end, details, [])
      : textElement(end, details, text || harmless(message));
  return element('testcase', attributes, [inside]);
}
