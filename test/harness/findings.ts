/**
 * The findings of a fuzzing run, read from what it prints.
 *
 * @module
 */
import { parse } from 'yaml';

export interface Finding {
  readonly operation: string;
  readonly status: string;
  /** Ids of known mistakes; empty if no known mistake explains the finding. */
  readonly causes: readonly string[];
  /** The block on one line, so that it does not matter where it was wrapped. */
  readonly text: string;
  readonly again: readonly string[];
  /** Absent if the cause was reported before. */
  readonly yaml?: readonly string[];
  readonly vector?: Readonly<Record<string, unknown>>;
}

export function findingsIn(report: string): readonly Finding[] {
  return report
    .split('\n\n')
    .filter((block) => block.startsWith('FOUND '))
    .map((block) => {
      const [, status = '', operation = ''] = /^FOUND (\S+) (\S+)/.exec(block) ?? [];
      const yaml = block.match(/^ {4}.*$/gm)?.filter((line) => !/^ {5,}\^$/.test(line)) ?? [];
      const start = yaml.findIndex((line) => line.startsWith('    - id: '));
      const [vector] = start < 0 ? [] : (parse(yaml.slice(start).join('\n')) as object[]);
      return {
        status,
        operation,
        causes: [...block.matchAll(/^ {2}cause: ([^:,\s]+)/gm)].map(([, id = '']) => id),
        text: block.replaceAll(/\s+/g, ' '),
        again: / {2}again: svc-conformance (.*)$/m.exec(block)?.[1]?.split(' ') ?? [],
        ...(vector && { yaml: yaml.slice(start), vector: { ...vector } }),
      };
    });
}
