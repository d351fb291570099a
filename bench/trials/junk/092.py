"""{'ops': ['authorization', 'form-authorization', 'policy-authorization', 'instant-upload', 'presigned-url'], 'rate': 60, 'after': ('flip', 2)}"""
import sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import junk
junk.main(92)
