/**
 * Where a reader finds the page of a cause.
 *
 * @module
 */
import { withoutCondition } from '../engine/expectations/names.ts';
import { causePage } from '../engine/report/cause-page.ts';
import type { Suite } from '../engine/vector.ts';
import { commandLine } from './commands.ts';

/** The address of the page, or the command that opens it if the package names no site. */
export function causePlace(id: string, suite: Pick<Suite, 'site'>): string {
  return suite.site === undefined
    ? commandLine('docs', [withoutCondition(id)])
    : causePage(id, suite);
}

/** The same within a line, where a command appears between backticks. */
export function causePlaceText(id: string, suite: Pick<Suite, 'site'>): string {
  const place = causePlace(id, suite);
  return suite.site === undefined ? `\`${place}\`` : place;
}
