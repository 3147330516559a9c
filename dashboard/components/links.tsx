// The component library's links and buttons as typed links of the router.
import { Anchor, Button, NavLink, type AnchorProps, type ButtonProps, type NavLinkProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";

type Element = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "style" | "color"> & {
  readonly ref?: Ref<HTMLAnchorElement>;
};

export const TextLink = createLink((props: AnchorProps & Element) => <Anchor fz="inherit" {...props} />);

export const ButtonLink = createLink((props: ButtonProps & Element) => <Button component="a" {...props} />);

export const NavigationLink = createLink((props: NavLinkProps & Element) => <NavLink component="a" {...props} />);

/** Leads to who has and had the address in the zones of a host. */
export function AddressLink({ address, hostId }: { readonly address: string; readonly hostId: number }) {
  return (
    <TextLink to="/ip-addresses/$address" params={{ address }} search={{ hostId }}>
      {address}
    </TextLink>
  );
}

/** Leads to a user, the owner of a guest say. */
export function UserLink({
  user: { id, username },
}: {
  readonly user: { readonly id: number; readonly username: string };
}) {
  return (
    <TextLink to="/users/$id" params={{ id: String(id) }}>
      {username}
    </TextLink>
  );
}
