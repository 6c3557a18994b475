import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './controls.module.css';
import { Icon, type IconName } from './icons.tsx';

type Look = { kind?: 'plain' | 'ink' | 'quiet' | 'danger' | 'chipButton'; icon?: IconName };

export type ButtonProps = Omit<ComponentProps<'button'>, 'type'> & Look & { busy?: boolean; submit?: boolean };

const lookOf = ({ kind, icon }: Look, children: ReactNode) =>
  classes(styles.button, kind && kind !== 'plain' && styles[kind], icon && children === undefined && styles.icon);

/** Ink is for the one main action of a page. Without text it needs an `aria-label`. */
export function Button({
  kind = 'plain',
  icon,
  busy = false,
  submit = false,
  children,
  className,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={submit ? 'submit' : 'button'}
      className={classes(lookOf({ kind, ...(icon ? { icon } : {}) }, children), className)}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
    >
      {icon && <Icon name={icon} />}
      {children}
      {busy && '…'}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ kind = 'plain', icon, children, className, ...rest }: ComponentProps<'a'> & Look) {
  return (
    <a {...rest} className={classes(lookOf({ kind, ...(icon ? { icon } : {}) }, children), className)}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}
