import { suggest } from '@mem-service/contract';
import {
  Composer,
  type CST,
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  visit,
  type YAMLMap,
} from 'yaml';

/** What is wrong with a manifest, and where. Lines and columns begin with 1. */
export type ManifestFault = { line: number; column: number; path: string; message: string };

/** How a value is read: it returns the value, or what is wrong with it. */
export type FieldRule<T> = (value: FieldValue) => T | undefined;

/** A field of a mapping. */
export type FieldSpec = { required?: boolean; about: string; rule: FieldRule<unknown> };

/** A value of the file with its place. */
export class FieldValue {
  readonly path: string;
  readonly node: Node;
  readonly #file: YamlFile;

  constructor(file: YamlFile, path: string, node: Node) {
    this.#file = file;
    this.path = path;
    this.node = node;
  }

  /** Reports a fault, and is undefined, so that a rule can return it. */
  fault(message: string): undefined {
    this.#file.fault(this.node, this.path, message);
  }

  get text(): string | undefined {
    const { node } = this;
    if (!isScalar(node)) return this.fault('must be a text');
    if (typeof node.value === 'string') return node.value;
    return this.fault(node.source ? `must be a text: write it in quotes, "${node.source}"` : 'must be a text');
  }

  /** The value as JSON has it. */
  get plain(): unknown {
    return isScalar(this.node) ? this.node.value : (this.node as YAMLMap).toJSON();
  }

  /** A text of the mapping, before anything is checked. */
  peek(name: string): string | undefined {
    const found = isMap(this.node) ? this.node.get(name) : undefined;
    return typeof found === 'string' ? found : undefined;
  }

  get items(): FieldValue[] | undefined {
    if (!isSeq(this.node)) return this.fault('must be a list');
    return this.node.items.map((item, i) => new FieldValue(this.#file, `${this.path}[${i}]`, item as Node));
  }

  /** The fields of a mapping by the specs, without those that are missing or wrong. */
  fields(specs: Readonly<Record<string, FieldSpec>>, others?: FieldRule<unknown>): Record<string, unknown> | undefined {
    const { node } = this;
    if (!isMap(node)) return this.fault('must be a mapping of names to values');
    const found: Record<string, unknown> = {};
    for (const pair of node.items) this.#addField(found, pair, { specs, others });
    for (const [name, { required, about }] of Object.entries(specs))
      if (required && !hasField(node, name)) this.#file.fault(node, this.#below(name), `is required: ${about}`);
    return found;
  }

  #addField(found: Record<string, unknown>, { key, value }: Pair, { specs, others }: Allowed): void {
    const node = key as Node;
    const name = isScalar(node) && typeof node.value === 'string' ? node.value : undefined;
    const fault = (at: Node, message: string) => this.#file.fault(at, this.#below(name ?? ''), message);
    if (name === undefined) {
      fault(node, 'has a name that is not a text');
      return;
    }
    const rule = Object.hasOwn(specs, name) ? specs[name]?.rule : others;
    const isEmpty = value === null || (isScalar(value) && value.value === null);
    if (!rule) fault(node, `is not a field of a manifest${suggest(name, Object.keys(specs))}`);
    else if (isEmpty) fault((value as Node | null) ?? node, 'has no value: give it one or leave it out');
    else {
      const read = rule(new FieldValue(this.#file, this.#below(name), value as Node));
      if (read !== undefined) Object.defineProperty(found, name, { value: read, enumerable: true });
    }
  }

  #below(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }
}

type Allowed = { specs: Readonly<Record<string, FieldSpec>>; others: FieldRule<unknown> | undefined };

const hasField = (node: YAMLMap, name: string): boolean =>
  node.items.some(({ key }) => isScalar(key) && key.value === name);

/** A YAML file that has been parsed, and the faults that were found in it. */
export class YamlFile {
  readonly faults: ManifestFault[] = [];
  readonly root: FieldValue | undefined;
  readonly #lines = new LineCounter();

  constructor(text: string) {
    const tokens = [...new Parser(this.#lines.addNewLine).parse(text)];
    // What composes the tokens is recursive, and the end of the stack may end the process.
    const deepest = tokens.map(tooDeep).find((offset) => offset !== undefined);
    if (deepest !== undefined) this.#faultAt(deepest, '', 'is nested too deeply');
    else this.root = this.#read(tokens, text.length);
  }

  fault(node: Node | undefined, path: string, message: string): void {
    this.#faultAt(node?.range?.[0] ?? 0, path, message);
  }

  #faultAt(offset: number, path: string, message: string): void {
    const { line, col } = this.#lines.linePos(offset);
    this.faults.push({ line: Math.max(line, 1), column: Math.max(col, 1), path, message });
  }

  #read(tokens: readonly CST.Token[], length: number): FieldValue | undefined {
    const composer = new Composer({ version: '1.2', uniqueKeys: true, merge: false, logLevel: 'silent' });
    const [document, second] = composer.compose(tokens, true, length) as Iterable<Document>;
    if (!document) return undefined;
    if (second) this.fault(second.contents as Node, '', 'has a second document');
    for (const { message, pos } of [...document.errors, ...document.warnings])
      this.#faultAt(pos[0], '', `is not YAML that can be read: ${plain(message)}`);
    visit(document, {
      Alias: (_, node) => this.fault(node, '', 'has an alias: write the value itself in its place'),
    });
    if (this.faults.length > 0) return undefined;
    if (!document.contents) {
      this.#faultAt(0, '', 'is empty');
      return undefined;
    }
    return new FieldValue(this, '', document.contents as Node);
  }
}

const MAX_DEPTH = 32;

/** Where a token is nested too deeply, without recursion. */
function tooDeep(root: CST.Token): number | undefined {
  const left: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { token, depth } = next;
    if (depth > MAX_DEPTH) return token.offset;
    const below = token.type === 'document' ? [token.value] : partsOf(token);
    for (const part of below) if (part) left.push({ token: part, depth: depth + 1 });
  }
  return undefined;
}

const partsOf = (token: CST.Token) =>
  'items' in token ? token.items.flatMap((item) => [item.key ?? undefined, item.value]) : [];

const plain = (message: string): string => {
  const text = message.replace(/\s+at line .*$/s, '').trim();
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
};
