/**
 * Arrays and objects among API parameters (§5.1 is silent; every published SDK flattens).
 *
 * @module
 */
import { InputError } from './errors.ts';
import type { ActionParameters, FlatParameters, ParameterValue, ScalarValue } from './types.ts';

/** Writes lists as `Name.0`, `Name.1` and objects as `Name.Key`, to any depth; empty ones vanish. */
export function flattened(parameters: ActionParameters): FlatParameters {
  const flat: (readonly [string, ScalarValue])[] = [];
  for (const [name, value] of parameters) flattenInto(flat, name, value);
  return flat;
}

function flattenInto(
  flat: (readonly [string, ScalarValue])[],
  name: string,
  value: ParameterValue,
): void {
  if (value === null) {
    throw new InputError(
      'parameter-null',
      `parameter ${JSON.stringify(name)} is null, which §5.1 gives no text to; leave it out`,
    );
  }
  if (typeof value === 'object' && 'list' in value) {
    for (const [i, item] of value.list.entries()) flattenInto(flat, `${name}.${i}`, item);
  } else if (typeof value === 'object' && 'object' in value) {
    for (const [key, member] of value.object) flattenInto(flat, `${name}.${key}`, member);
  } else {
    flat.push([name, value]);
  }
}
