// Over a page whose session has ended: who was signed in signs in again, and goes on with what was typed.
import { Button, Modal, Stack, Text } from "@mantine/core";
import { signOut } from "../client/signOut.js";
import { SignInForm } from "../pages/people/SignInForm.js";
import { texts } from "../texts/shell.js";

/** Above the questions that are asked above dialogs. */
const ABOVE_QUESTIONS = 400;

export default function SignInAgain({ username }: { readonly username: string }) {
  return (
    <Modal
      opened
      onClose={() => undefined}
      title={texts.session.expired}
      size="sm"
      withCloseButton={false}
      zIndex={ABOVE_QUESTIONS}
      overlayProps={{ blur: 8 }}
    >
      <Stack gap="sm">
        <Text fz="sm">{texts.session.inputKept}</Text>
        <SignInForm username={username} />
        <Button variant="subtle" onClick={signOut}>
          {texts.signOut}
        </Button>
      </Stack>
    </Modal>
  );
}
