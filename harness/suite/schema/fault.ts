/**
 * The faults that a JSON Schema finds in a value, in words.
 *
 * @module
 */

/** An error of ajv. */
export interface SchemaFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * A schema as ajv compiles it: a call checks a value and sets `errors`.
 *
 * @typeParam Shape the type of the values that the schema accepts
 */
export interface Validator<Shape = unknown> {
  (value: unknown): value is Shape;
  readonly errors?: readonly SchemaFault[] | null;
}

export function findFaults(schema: Validator, value: unknown): readonly SchemaFault[] {
  return schema(value) ? [] : (schema.errors ?? []);
}

/** Whether a schema accepts a value, except for members that it does not know. A newer version may add members. */
export function acceptsKnownMembers<Shape>(
  schema: Validator<Shape>,
  value: unknown,
): value is Shape {
  return findFaults(schema, value).every(isUnknownMember);
}

export function isUnknownMember({ keyword }: SchemaFault): boolean {
  return keyword === 'additionalProperties';
}

/** Member names and list positions from the outside in. */
export function faultPath({ instancePath }: SchemaFault): readonly (string | number)[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^[0-9]+$/.test(part) ? Number(part) : part));
}

/** The fault as a predicate: `has the unknown member "wy"`. */
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
      return `is not one of ${[params['allowedValues']]
        .flat()
        .map((value) => JSON.stringify(value))
        .join(', ')}`;
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
