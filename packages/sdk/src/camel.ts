export type CamelName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name;

/** The same type with its declared members in camelCase. Records and values of any shape are unchanged. */
export type Camel<T> = unknown extends T
  ? T
  : T extends readonly (infer Item)[]
    ? Camel<Item>[]
    : T extends object
      ? { [K in keyof T as K extends string ? (string extends K ? K : CamelName<K>) : K]: Camel<T[K]> }
      : T;

export const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, next: string) => next.toUpperCase());

export const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
