/**
 * Mistakes in what a form upload signs of its fields and headers (§4.3).
 *
 * @module
 */
import { formPositionalValues } from '../signing/form-authorization.ts';
import { hasHeader, type PositionalName, positionalValue } from '../signing/positional-headers.ts';
import type { Mistake } from './mistake.ts';

/** Which value comes from the form, and which from the headers of the request. */
export const FORM_UPLOADS: readonly Mistake[] = [
  {
    id: 'form-type-of-header',
    rule: '4.3/form-content-type',
    swap: {
      formPositionalValues: (form, context) => ({
        ...formPositionalValues(form, context),
        contentType: context.steps.positionalValue(form.headers, 'Content-Type', context),
      }),
    },
    cause: "a form upload signs the request's Content-Type, the one with the boundary",
    fix: 'sign the form field Content-Type',
  },
  {
    id: 'form-type-of-header-without-field',
    rule: '4.3/form-content-type',
    swap: {
      formPositionalValues: (form, context) => ({
        ...formPositionalValues(form, context),
        contentType: form.fields.some(([name]) => name === 'Content-Type')
          ? context.steps.formField(form.fields, 'Content-Type', context)
          : context.steps.positionalValue(form.headers, 'Content-Type', context),
      }),
    },
    cause: "a form without a Content-Type field signs the request's Content-Type",
    fix: 'sign an empty line where the form has no such field',
    seen: 'ufile 3.2.11 (Python)',
  },
  {
    id: 'form-type-of-header-for-empty-field',
    rule: '4.3/form-content-type',
    swap: {
      formPositionalValues: (form, context) => ({
        ...formPositionalValues(form, context),
        contentType:
          context.steps.formField(form.fields, 'Content-Type', context) ||
          context.steps.positionalValue(form.headers, 'Content-Type', context),
      }),
    },
    cause: "a form whose Content-Type field is empty or absent signs the request's Content-Type",
    fix: 'sign an empty line where the field is empty or absent',
  },
  {
    id: 'form-md5-of-field-only',
    rule: '4.3/form-content-md5',
    swap: {
      formPositionalValues: (form, context) => ({
        ...formPositionalValues(form, context),
        contentMd5: context.steps.formField(form.fields, 'Content-MD5', context),
      }),
    },
    cause: 'a form upload does not sign the Content-MD5 header of the request',
    fix: 'sign the Content-MD5 header; only without one, the form field',
  },
  {
    id: 'form-md5-of-header-only',
    rule: '4.3/form-content-md5',
    swap: {
      formPositionalValues: (form, context) => ({
        ...formPositionalValues(form, context),
        contentMd5: context.steps.positionalValue(form.headers, 'Content-MD5', context),
      }),
    },
    cause: 'a form upload does not sign the form field Content-MD5',
    fix: 'sign the form field Content-MD5 where the request has no such header',
  },
  {
    id: 'form-fields-in-any-case',
    rule: '4.3/form-field-names',
    swap: { formField: positionalValue },
    cause: 'form fields are found by their names in any case, as headers are',
    fix: 'look form fields up by their exact names',
  },
  {
    id: 'form-fields-among-headers',
    rule: '4.3/form-content-type',
    swap: {
      formPositionalValues: ({ headers, fields }, context) => {
        const found = (name: PositionalName) =>
          context.steps.positionalValue(hasHeader(fields, name) ? fields : headers, name, context);
        return {
          contentMd5: found('Content-MD5'),
          contentType: found('Content-Type'),
          date: found('Date'),
        };
      },
    },
    cause: 'each value is looked up among fields and headers together',
    fix: 'take Content-Type from the form, Date from the headers, Content-MD5 from the headers first',
  },
];
