import {
  createScanner,
  getLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { MalformedText } from './text-edits.ts';

/** Parses JSON with comments, trailing commas and a byte order mark into a tree with all offsets. */
export function parseJsonc(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(withoutMark(text), errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) throw new MalformedText(text, first.offset, problemOf(text, first));
  return root as Node;
}

/** The parser does not accept a byte order mark; a space in its place keeps all offsets. */
const withoutMark = (text: string) => (text.startsWith('\ufeff') ? ` ${text.slice(1)}` : text);

function problemOf(text: string, { error, offset }: ParseError): string {
  const seen = offset >= text.length ? 'the end' : JSON.stringify(text[offset]);
  const { path, isAtPropertyKey } = getLocation(text, offset);
  switch (printParseErrorCode(error)) {
    case 'ColonExpected':
      return `":" was expected, not ${seen}`;
    case 'CommaExpected':
    case 'CloseBraceExpected':
    case 'CloseBracketExpected':
      return `"," or ${typeof path.at(-1) === 'number' ? '"]"' : '"}"'} was expected, not ${seen}`;
    case 'EndOfFileExpected':
      return 'there is more after the end';
    case 'UnexpectedEndOfComment':
      return 'this comment has no end';
    case 'UnexpectedEndOfString':
      return 'this text has no end';
    case 'InvalidUnicode':
    case 'InvalidEscapeCharacter':
    case 'InvalidCharacter':
      return 'this text is not valid JSON';
    default:
      return `a ${isAtPropertyKey ? 'name in quotes' : 'value'} was expected, not ${seen}`;
  }
}

/** The offset of the next character that is neither whitespace nor comment. */
export function skipTrivia(text: string, from: number): number {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  return scanner.getTokenOffset();
}

export type JsonPath = readonly (string | number)[];

/** The node at a path. Of duplicate members it is the last, which every parser uses. */
export function nodeAt(root: Node, path: JsonPath): Node | undefined {
  return path.reduce<Node | undefined>(
    (node, step) =>
      typeof step === 'number'
        ? itemsOf(node)[step]
        : membersOf(node).findLast((member) => member.children?.[0]?.value === step)?.children?.[1],
    root,
  );
}

const membersOf = (node: Node | undefined): Node[] => (node?.type === 'object' ? (node.children ?? []) : []);
const itemsOf = (node: Node | undefined): Node[] => (node?.type === 'array' ? (node.children ?? []) : []);

/** The value at a path, or undefined. */
export function valueAt(text: string, path: JsonPath): unknown {
  const node = text.trim() === '' ? undefined : nodeAt(parseJsonc(text), path);
  return node && getNodeValue(node);
}
