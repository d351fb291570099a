/**
 * What a JSON Schema says of a value that does not fit, in words.
 *
 * @module
 */

/** What ajv says of one place. */
export interface SchemaFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A schema as ajv compiles it: says whether a value fits, and leaves behind why not. */
export interface Validator {
  (value: unknown): boolean;
  readonly errors?: readonly SchemaFault[] | null;
}

/** Every place where the value does not fit. */
export function faultsOf(validator: Validator, value: unknown): readonly SchemaFault[] {
  return validator(value) ? [] : (validator.errors ?? []);
}

/** Where a fault is: member names and list positions from the outside in. */
export function faultPath({ instancePath }: SchemaFault): readonly (string | number)[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^[0-9]+$/.test(part) ? Number(part) : part));
}

/** What is wrong and what was expected: `has the unknown member "wy"`. */
export function faultText(fault: SchemaFault): string {
  const { keyword, params, message } = fault;
  switch (keyword) {
    case 'additionalProperties':
      return `has the unknown member ${JSON.stringify(params['additionalProperty'])}`;
    case 'required':
      return `lacks the member ${JSON.stringify(params['missingProperty'])}`;
    case 'dependentRequired':
      return `has ${JSON.stringify(params['property'])} but lacks ${JSON.stringify(params['missingProperty'])}`;
    case 'enum':
      return `is none of ${(params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
    case 'const':
      return `is not ${JSON.stringify(params['allowedValue'])}`;
    case 'type':
      return `is not of type ${[params['type']].flat().join(' or ')}`;
    case 'pattern':
      return `does not match ${String(params['pattern'])}`;
    default:
      return message ?? `breaks the schema's ${keyword}`;
  }
}
