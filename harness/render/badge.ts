/**
 * A badge: JSON for the endpoints of shields.io, and a picture.
 *
 * @module
 */
import { EXIT } from '../engine/errors.ts';
import { formatCount } from '../engine/excerpt.ts';
import { countFailures } from '../engine/report/failure-counts.ts';
import { createReporter, type Reporter, type Results } from './reporter.ts';
import { element, textElement } from './xml.ts';

interface Badge {
  readonly label: string;
  readonly message: string;
  readonly color: 'brightgreen' | 'red' | 'lightgrey';
}

/** A badge as JSON, with the members of https://shields.io/badges/endpoint-badge. */
export function badgeJson(): Reporter {
  return createReporter((results) => {
    const { label, message, color } = toBadge(results);
    const isError = color !== 'brightgreen';
    return `${JSON.stringify({ schemaVersion: 1, label, message, color, isError })}\n`;
  });
}

export function badgeSvg(): Reporter {
  return createReporter((results) => picture(toBadge(results)));
}

function toBadge({ reports, ending: { exitCode, isAbandoned } }: Results): Badge {
  const label = 'svc-conformance';
  const judged = reports.filter((report) => 'outcomes' in report);
  if (exitCode === EXIT.asExpected && !isAbandoned) {
    const passes = judged
      .flatMap(({ outcomes }) => outcomes)
      .filter(({ verdict }) => verdict.status === 'pass');
    return { label, message: `${passes.length} pass`, color: 'brightgreen' };
  }
  if (exitCode === EXIT.failures && !isAbandoned) {
    return { label, message: formatCount(countFailures(reports), 'failure'), color: 'red' };
  }
  return { label, message: 'not judged', color: 'lightgrey' };
}

const COLOURS: Readonly<Record<Badge['color'], string>> = {
  brightgreen: '#2e7d32',
  red: '#b71c1c',
  lightgrey: '#616161',
};

const HEIGHT = 20;
const PADDING = 6;

/** The mean width of a character of the font, in pixels. `textLength` scales the text to this width. */
const CHARACTER = 6.5;

function picture({ label, message, color }: Badge): string {
  const [left, right] = [label, message].map((text) => 2 * PADDING + CHARACTER * text.length);
  const [a = 0, b = 0] = [left, right];
  const box = (x: number, width: number, fill: string): string =>
    element('rect', { x, width, height: HEIGHT, fill }, []);
  const text = (x: number, content: string): string => {
    const attributes = { x, y: 14, textLength: CHARACTER * content.length };
    return textElement('text', attributes, content);
  };
  const title = `${label}: ${message}`;
  const font = { fill: '#fff', 'font-family': 'Verdana,Geneva,sans-serif', 'font-size': 11 };
  const size = { width: a + b, height: HEIGHT, viewBox: `0 0 ${a + b} ${HEIGHT}` };
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', ...size, role: 'img', 'aria-label': title },
    [
      textElement('title', {}, title),
      box(0, a, '#424242'),
      box(a, b, COLOURS[color]),
      element('g', font, [text(PADDING, label), text(a + PADDING, message)]),
    ],
  );
}
