// The types of lists that this SDK version does not have.
import type { RequestInput } from "./prepare.ts";

/** Parameters of a list, and where its items are. */
export interface ListInput<Field extends string = string> extends Omit<RequestInput, "body"> {
  /** Name of the field of a page that holds its items, such as `contacts`. */
  readonly items: Field;
}

/** Names of a page's fields that are lists; any text if nothing is known of the page. */
export type ListField<Page> = unknown extends Page
  ? string
  : string &
      keyof {
        [Field in keyof Page as IsList<Page, Field> extends true ? Field : never]: never;
      };

/** Whether a field is a list. An index signature has no field names, so it does not count. */
type IsList<Page, Field extends keyof Page> = string extends Field
  ? false
  : NonNullable<Page[Field]> extends readonly unknown[]
    ? true
    : false;

/** An item of a page's list. */
export type ItemIn<Page, Field extends string> = unknown extends Page
  ? unknown
  : Field extends keyof Page
    ? NonNullable<Page[Field]> extends readonly (infer Item)[]
      ? Item
      : never
    : never;
