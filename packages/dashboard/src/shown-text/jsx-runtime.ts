import { createElement as createPlain, type ElementType, Fragment, type Key, type ReactNode } from 'react';
import { jsx as elementOf, jsxs as elementsOf } from 'react/jsx-runtime';
import { isFromTheRight, withMarks } from './direction.ts';

export type { JSX } from 'react/jsx-runtime';
export { Fragment };

/** Elements that hold nothing but text. */
const TEXT_ONLY = new Set<ElementType>(['option', 'title', 'text', 'tspan', 'textarea']);

/**
 * Makes all elements of the pages, so that no page has to think of names that reorder what stands around them: characters that
 * do so unseen are shown as marks, and letters from right to left are kept apart.
 */
export const jsx = (type: ElementType, props: object, key?: Key) => elementOf(type, shown(type, props), key);
export const jsxs = (type: ElementType, props: object, key?: Key) => elementsOf(type, shown(type, props), key);

/** An element whose key stands behind other properties. */
export const createElement = (type: ElementType, props: object, ...children: ReactNode[]) =>
  createPlain(type, shown(type, props), ...children.map((child) => childOf(child, TEXT_ONLY.has(type))));

type ShownProps = { children?: ReactNode; title?: unknown; 'aria-label'?: unknown };

function shown(type: ElementType, props: ShownProps): ShownProps {
  if (typeof type !== 'string' && type !== Fragment) return props;
  const children = childOf(props.children, TEXT_ONLY.has(type));
  const { title, 'aria-label': label } = props;
  const changed: ShownProps = {};
  if (children !== props.children) changed.children = children;
  if (typeof title === 'string' && withMarks(title) !== title) changed.title = withMarks(title);
  if (typeof label === 'string' && withMarks(label) !== label) changed['aria-label'] = withMarks(label);
  return Object.keys(changed).length === 0 ? props : { ...props, ...changed };
}

function childOf(child: ReactNode, isTextOnly: boolean): ReactNode {
  if (typeof child === 'string') {
    const text = withMarks(child);
    return isTextOnly || !isFromTheRight(text) ? text : elementOf('bdi', { children: text });
  }
  if (!Array.isArray(child)) return child;
  const children = child.map((one) => childOf(one, isTextOnly));
  return children.every((one, i) => one === child[i]) ? child : children;
}
